/* An operation of an isa_SET.h as a row: its result, its name, its operands, and its value. */
#ifndef ACCORDI_EXACT_ISA_ROW_H
#define ACCORDI_EXACT_ISA_ROW_H

#define ISA_ROW(type_, name_, operands_, expression_)                                              \
    ISA_OP type_ name_ operands_                                                                   \
    {                                                                                              \
        return expression_;                                                                        \
    }

#endif
