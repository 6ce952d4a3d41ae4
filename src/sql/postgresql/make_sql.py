#!/usr/bin/env python3
"""make_sql.py: writes the script of the extension, accord--VERSION.sql, on stdout.

The functions behind the aggregates are the same for real and double precision but for their types,
so they are written as a table here."""

AGGREGATE = """
CREATE AGGREGATE {name}({arguments}) (
    SFUNC = accord_{kind}_add{size}, STYPE = internal, SSPACE = {space},
    FINALFUNC = accord_{final},
    COMBINEFUNC = accord_{family}_combine,
    SERIALFUNC = accord_{family}_serialize, DESERIALFUNC = accord_{kind}_deserialize,
    MSFUNC = accord_{kind}_add{size}, MINVFUNC = accord_{kind}_remove{size},
    MSTYPE = internal, MSSPACE = {space}, MFINALFUNC = accord_{final},
    PARALLEL = SAFE);
COMMENT ON AGGREGATE {name}({arguments}) IS '{comment}';
"""
TYPES = {"8": "double precision", "4": "real"}
# name, family of states, final function, bytes of a state, comment
ROWS = [
    ("exact_sum", "sum", "sum_final{size}", 64, "the exact sum, rounded once"),
    ("exact_avg", "sum", "sum_mean", 64, "the exact mean, rounded once"),
    ("exact_dot", "dot", "sum_final8", 128, "the exact sum of products, rounded once"),
    ("exact_var", "var", "var_samp", 208, "the exact sample variance, rounded once"),
    ("exact_var_samp", "var", "var_samp", 208, "the exact sample variance, rounded once"),
    ("exact_var_pop", "var", "var_pop", 208, "the exact population variance, rounded once"),
]


def function(name, arguments, result, strict=False):
    print(f"CREATE FUNCTION {name}({arguments}) RETURNS {result}\n"
          f"    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE {'STRICT ' * strict}PARALLEL SAFE;")


def main():
    print("-- Made by make_sql.py.\n"
          "\\echo Use \"CREATE EXTENSION accord\" to load this file. \\quit")
    for kind in ("sum", "dot", "var"):
        for size, name in TYPES.items():
            values = f"internal, {name}" + f", {name}" * (kind == "dot")
            function(f"accord_{kind}_add{size}", values, "internal")
            function(f"accord_{kind}_remove{size}", values, "internal")
        if kind != "dot":
            function(f"accord_{kind}_combine", "internal, internal", "internal")
            function(f"accord_{kind}_serialize", "internal", "bytea", strict=True)
        function(f"accord_{kind}_deserialize", "bytea, internal", "internal", strict=True)
    for name, result in (("sum_final8", "double precision"), ("sum_final4", "real"),
                         ("sum_mean", "double precision"), ("var_samp", "double precision"),
                         ("var_pop", "double precision"), ("state_value", "bytea")):
        function(f"accord_{name}", "internal", result)
    function("accord_state_add", "internal, bytea", "internal")
    for name, kind, final, space, comment in ROWS:
        for size, type_name in TYPES.items():
            arguments = ", ".join([type_name] * (1 + (kind == "dot")))
            print(AGGREGATE.format(name=name, arguments=arguments, kind=kind, size=size, space=space,
                                   family="sum" if kind == "dot" else kind, comment=comment,
                                   final=final.format(size=size)), end="")
    for arguments, step, size in (("double precision", "sum_add8", 8), ("real", "sum_add4", 4)):
        print(f"""
CREATE AGGREGATE exact_state({arguments}) (
    SFUNC = accord_{step}, STYPE = internal, SSPACE = 64, FINALFUNC = accord_state_value,
    COMBINEFUNC = accord_sum_combine, SERIALFUNC = accord_sum_serialize,
    DESERIALFUNC = accord_sum_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE exact_state({arguments}) IS 'the exact sum as bytes, for exact_sum_of and exact_merge';
""", end="")
    for name, final, comment in (
            ("exact_sum_of", "sum_final8", "the sum of the values behind stored states, rounded once"),
            ("exact_avg_of", "sum_mean", "the mean of the values behind stored states, rounded once"),
            ("exact_merge", "state_value", "stored states as one")):
        print(f"""
CREATE AGGREGATE {name}(bytea) (
    SFUNC = accord_state_add, STYPE = internal, SSPACE = 64, FINALFUNC = accord_{final},
    COMBINEFUNC = accord_sum_combine, SERIALFUNC = accord_sum_serialize,
    DESERIALFUNC = accord_sum_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE {name}(bytea) IS '{comment}';
""", end="")


if __name__ == "__main__":
    main()
