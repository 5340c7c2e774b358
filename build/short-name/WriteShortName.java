import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Writes the class whose name is a value of {@code state.backend.type}: {@code WriteShortName
 * CLASSES NAME FACTORY}.
 *
 * <p>Flink takes a value that it does not know as the name of a factory class. The name of ours
 * holds a hyphen, which the JVM allows and the language does not, so it cannot be compiled. The
 * class does nothing but extend the factory; it is of Java 11, as the factory is, so that an older
 * JVM gets as far as the factory's message.
 */
public final class WriteShortName {
    private WriteShortName() {}

    public static void main(String[] args) throws IOException {
        Path classes = Path.of(args[0]);
        String name = args[1];
        String factory = args[2].replace('.', '/');

        ClassWriter type = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        type.visit(
                Opcodes.V11, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name, null, factory, null);
        MethodVisitor constructor =
                type.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        constructor.visitCode();
        constructor.visitVarInsn(Opcodes.ALOAD, 0);
        constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, factory, "<init>", "()V", false);
        constructor.visitInsn(Opcodes.RETURN);
        constructor.visitMaxs(0, 0);
        constructor.visitEnd();
        type.visitEnd();
        Files.write(classes.resolve(name + ".class"), type.toByteArray());
    }
}
