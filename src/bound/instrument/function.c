/* Walks over the instructions of a function. A row of the table says which file knows an
 * instruction; the others have no numbers. */
#include "bound/instrument/instrument.h"
#include <stdlib.h>

static const struct {
    LLVMOpcode opcode;
    void (*instrument)(instrumenter *p, LLVMValueRef instruction);
} rows[] = {
    {LLVMFAdd, do_arithmetic},
    {LLVMFSub, do_arithmetic},
    {LLVMFMul, do_arithmetic},
    {LLVMFDiv, do_arithmetic},
    {LLVMFRem, do_arithmetic},
    {LLVMFNeg, do_arithmetic},
    {LLVMFPExt, do_conversion},
    {LLVMFPTrunc, do_conversion},
    {LLVMSIToFP, do_conversion},
    {LLVMUIToFP, do_conversion},
    {LLVMFPToSI, do_conversion},
    {LLVMFPToUI, do_conversion},
    {LLVMFCmp, do_comparison},
    {LLVMLoad, do_load},
    {LLVMStore, do_store},
    {LLVMBitCast, do_bits},
    {LLVMPHI, do_merge},
    {LLVMSelect, do_merge},
    {LLVMFreeze, do_merge},
    {LLVMExtractValue, do_aggregate},
    {LLVMInsertValue, do_aggregate},
    {LLVMExtractElement, do_aggregate},
    {LLVMInsertElement, do_aggregate},
    {LLVMShuffleVector, do_aggregate},
    {LLVMCall, do_call},
    {LLVMRet, do_return},
    {LLVMVAArg, do_aggregate},
    {LLVMAtomicRMW, do_aggregate},
};

static void instrument(instrumenter *p, LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == opcode) {
            rows[i].instrument(p, instruction);
            if (p->tape)
                tape_arithmetic(p, instruction);
            return;
        }
}

static LLVMValueRef first_of_body(LLVMValueRef function)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    while (LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

void instrument_function(instrumenter *p, LLVMValueRef function)
{
    list l = {0};
    list_instructions(&l, function);
    find_groups(p, &l);
    p->function = function;
    p->start = first_of_body(function);
    p->variadic = NULL;
    /* A place of its own, so that what stands at the start keeps its order. */
    LLVMPositionBuilderBefore(p->build, p->start);
    p->start = LLVMBuildAlloca(p->build, LLVMInt1TypeInContext(p->context), "");
    LLVMPositionBuilderBefore(p->build, p->start);
    do_arguments(p);
    for (size_t i = 0; i < l.count; i++)
        instrument(p, l.item[i]);
    LLVMInstructionEraseFromParent(p->start);
    table_clear(&p->shadows);
    table_clear(&p->incoming);
    table_clear(&p->marks);
    table_clear(&p->outer);
    table_clear(&p->merged);
    table_clear(&p->copied);
    p->no_mark = NULL;
    free(l.item);
}
