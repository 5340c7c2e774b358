package io.streamfusion.sql.testing;

import io.streamfusion.plan.proto.Calc;
import io.streamfusion.plan.proto.Expression;
import io.streamfusion.plan.proto.Operator;
import io.streamfusion.sql.plan.TypeEncoder;
import org.apache.flink.table.types.logical.RowType;

/** Plans that tests need. */
public final class TestPlans {
    private TestPlans() {}

    /** A Calc that passes its input on. */
    public static byte[] identity(RowType type) {
        Calc.Builder calc = Calc.newBuilder().setInput(TypeEncoder.encode(type));
        for (int i = 0; i < type.getFieldCount(); i++) {
            calc.addProjection(
                    Expression.newBuilder()
                            .setType(TypeEncoder.encode(type.getTypeAt(i)))
                            .setInput(i));
        }
        return Operator.newBuilder()
                .setDescription("Calc(select=[*])")
                .setCalc(calc)
                .build()
                .toByteArray();
    }
}
