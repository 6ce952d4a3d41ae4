"""What the order of sums does to operators of array libraries, and to the training of a network.

spread      measures of variability (NumPy alone)
pytorch     the operators that sweeps can name
numpy_operators, jax_operators
            the same of NumPy and JAX
apart       asks these in processes of their own, one for each number of threads
sweep       lists of operators and hyperparameters, which a user may copy and edit (sweeps/)
operators   the experiment of this name: operators, run to run and across numbers of threads
findings    its table, sentences and heat maps
graph       a made graph of the shape of Cora (NumPy alone)
training    the experiment of this name: a graph network, trained again and again

The experiments are those of Shanmugavelu et al., "Impacts of floating-point non-associativity on
reproducibility for HPC and deep learning applications" (2024).
"""
