import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.*;
import org.apache.flink.table.data.*;
import org.apache.flink.table.data.binary.*;
import org.apache.flink.table.runtime.functions.*;
import org.apache.flink.table.utils.DateTimeUtils;
import org.apache.flink.table.functions.SqlLikeUtils;

/** Prints values of Flink 2.2.1 and of the JDK that the Rust expressions must agree with: one case a line, fields by tabs. */
public class FlinkValues {
    static final Random R = new Random(20261201);
    interface Body { Object get() throws Throwable; }
    static String hex(byte[] b) { return b == null ? "null" : "x" + HexFormat.of().formatHex(b); }
    static String hex(String s) { return s == null ? "null" : hex(s.getBytes(StandardCharsets.UTF_8)); }
    static void line(Body body, Object... in) {
        String out;
        try { Object o = body.get(); out = String.valueOf(o); } catch (Throwable t) { out = "ERR"; }
        StringBuilder b = new StringBuilder();
        for (Object i : in) b.append(i).append('\t');
        System.out.println(b.append(out));
    }
    static BigInteger unscaled(int p) {
        int digits = 1 + R.nextInt(p);
        BigInteger v = new BigInteger(digits * 4, R).mod(BigInteger.TEN.pow(digits));
        return R.nextBoolean() ? v.negate() : v;
    }
    static DecimalData dec(BigInteger u, int p, int s) { return DecimalData.fromBigDecimal(new BigDecimal(u, s), p, s); }
    static String un(DecimalData d) { return d == null ? "null" : d.toBigDecimal().unscaledValue().toString(); }
    static BinaryStringData str(byte[] b) { return BinaryStringData.fromBytes(b); }
    static final String[] PIECES = {"a", "B", "é", "ß", "日", "😀", " ", "/", "&", "=", "0", "z", "İ", "ǅ", "\n", "%", "_", "\u2028"};
    static byte[] text(boolean wild) {
        java.io.ByteArrayOutputStream o = new java.io.ByteArrayOutputStream();
        int n = R.nextInt(8);
        for (int i = 0; i < n; i++) {
            if (wild && R.nextInt(3) == 0) o.write(R.nextInt(256));
            else o.writeBytes(PIECES[R.nextInt(PIECES.length)].getBytes(StandardCharsets.UTF_8));
        }
        return o.toByteArray();
    }
    static byte[] wildBytes() {
        int[] lead = {0x41, 0x80, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff, 0xa0, 0x90, 0x9f};
        byte[] b = new byte[R.nextInt(7)];
        for (int i = 0; i < b.length; i++) b[i] = (byte) lead[R.nextInt(lead.length)];
        return b;
    }
    static long millis() {
        switch (R.nextInt(4)) {
            case 0: return R.nextInt(2_000_000_000) * 1000L + R.nextInt(1000);
            case 1: return -R.nextInt(2_000_000_000) * 1000L + R.nextInt(1000);
            case 2: return R.nextLong() % 200_000_000_000_000L;
            default: return R.nextInt(4) * 86_400_000L * 365 - R.nextInt(3);
        }
    }
    public static void main(String[] a) {
        double[] ds = {0, -0.0, 1, 0.1, 1e7, 9999999.5, 1e-3, 9.9e-4, 1e23, 2e-323, 4.9e-324, 9.9e-324, Double.MAX_VALUE, Double.MIN_NORMAL, 123456789012345680.0, 1.0E10, 100, 1e21, 2e23, 8.41E21, 5e-324*3, 1/3.0};
        for (double d : ds) line(() -> Double.toString(d), "double", Long.toHexString(Double.doubleToRawLongBits(d)));
        for (int i = 0; i < 120; i++) { double d = Double.longBitsToDouble(R.nextLong()); line(() -> Double.toString(d), "double", Long.toHexString(Double.doubleToRawLongBits(d))); }
        for (int i = 0; i < 60; i++) { double d = R.nextInt(100000) / 100.0; line(() -> Double.toString(d), "double", Long.toHexString(Double.doubleToRawLongBits(d))); }
        float[] fs = {0, 1, 0.1f, 1e10f, 1.4e-45f, 3e-45f, Float.MAX_VALUE, 16777216f, 3.4e7f, 0.001f, 1.17549435E-38f};
        for (float f : fs) line(() -> Float.toString(f), "float", Integer.toHexString(Float.floatToRawIntBits(f)));
        for (int i = 0; i < 80; i++) { float f = Float.intBitsToFloat(R.nextInt()); line(() -> Float.toString(f), "float", Integer.toHexString(Float.floatToRawIntBits(f))); }
        for (int i = 0; i < 300; i++) {
            int p1 = 1 + R.nextInt(38), s1 = R.nextInt(p1 + 1), p2 = 1 + R.nextInt(38), s2 = R.nextInt(p2 + 1), p = 1 + R.nextInt(38), s = R.nextInt(p + 1);
            if (R.nextBoolean()) { p = 38; s = R.nextInt(12); }
            int P = Math.max(p, 19), S = s;
            BigInteger u1 = unscaled(p1), u2 = unscaled(p2);
            DecimalData d1 = dec(u1, p1, s1), d2 = dec(u2, p2, s2);
            line(() -> un(DecimalDataUtils.add(d1, d2, P, S)), "add", u1, s1, u2, s2, P, S);
            line(() -> un(DecimalDataUtils.subtract(d1, d2, P, S)), "subtract", u1, s1, u2, s2, P, S);
            line(() -> un(DecimalDataUtils.multiply(d1, d2, P, S)), "multiply", u1, s1, u2, s2, P, S);
            line(() -> un(DecimalDataUtils.divide(d1, d2, P, S)), "divide", u1, s1, u2, s2, P, S);
            line(() -> un(DecimalDataUtils.mod(d1, d2, P, S)), "mod", u1, s1, u2, s2, P, S);
            line(() -> Integer.signum(DecimalDataUtils.compare(d1, d2)), "compare", u1, s1, u2, s2, P, S);
            int pp = p, ss = s;
            line(() -> un(DecimalDataUtils.castToDecimal(d1, pp, ss)), "rescale", u1, s1, 0, 0, pp, ss);
            line(() -> DecimalDataUtils.castToIntegral(d1), "integral", u1, s1, 0, 0, p1, s1);
            line(() -> Long.toHexString(Double.doubleToRawLongBits(DecimalDataUtils.doubleValue(d1))), "to_double", u1, s1, 0, 0, p1, s1);
            line(() -> d1.toString(), "plain", u1, s1, 0, 0, p1, s1);
        }
        double[] dd = {0.1, 1.005, 2.5, -2.5, 1e20, 1e-20, 123.456, 1e38, 9.99e37, 5e-324, 0.5, -0.0};
        for (double d : dd) for (int s : new int[] {0, 1, 2, 10}) line(() -> un(DecimalDataUtils.castFrom(d, 38, s)), "from_double", Long.toHexString(Double.doubleToRawLongBits(d)), 38, s);
        String[] nums = {"1", " 12 ", "-3.5", "+4", ".", "-", "", "  ", "1e3", "1e", "e5", "1.5e-2", "12x", "999.5", "-999.5", "0.005", "1.2.3", "\t7\n", "123456789012345678", "1234567890123456789", "12345678901234567890.123456789", "1e40", "1e-40", "00000000000000000000001.5", "1e400", "1e-400", "-0.5", "1.", ".5", "5 5", "1e+2", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "2147483648", "-2147483648", "2147483647.9", "1.a", "99999999999999999999999999999999999999", "999999999999999999999999999999999999999", "0.00000000000000000000000000000000000000000000000005", "abcdefghijklmnopqrstuvw", "1e-2147483648", "-1e5", "- 1", "+-1", "0x10", "1_0"};
        for (String n : nums) {
            byte[] b = n.getBytes(StandardCharsets.UTF_8);
            for (int[] f : new int[][] {{3, 0}, {10, 2}, {18, 18}, {38, 10}, {38, 0}, {5, 3}}) line(() -> un(BinaryStringDataUtil.toDecimal(str(b), f[0], f[1])), "text_decimal", hex(b), f[0], f[1]);
            line(() -> BinaryStringDataUtil.toLong(str(b).trim()), "text_long", hex(b));
            line(() -> BinaryStringDataUtil.toInt(str(b).trim()), "text_int", hex(b));
            line(() -> BinaryStringDataUtil.toByte(str(b).trim()), "text_byte", hex(b));
            if (!n.startsWith("0x")) line(() -> Long.toHexString(Double.doubleToRawLongBits(BinaryStringDataUtil.toDouble(str(b).trim()))), "text_double", hex(b));
        }
        for (String n : new String[] {"NaN", "-NaN", "Infinity", "-Infinity", "inf", "1d", "1.5F", "1fd", "\u00001", "1e1000", "1e-1000", "infinity", "nan", ".e1", "1e1.5"}) {
            byte[] b = n.getBytes(StandardCharsets.UTF_8);
            line(() -> Long.toHexString(Double.doubleToRawLongBits(BinaryStringDataUtil.toDouble(str(b).trim()))), "text_double", hex(b));
        }
        for (String n : new String[] {"true", "T", "YES", "1", "0", "no", "False", "x", "", " true", "y", "N"}) line(() -> BinaryStringDataUtil.toBoolean(str(n.getBytes())), "text_boolean", hex(n));
        for (String n : new String[] {"2020-02-29", "2021-02-29", "2020-2-3", "2020", "2020-13", "2020-04-31", " 2020-01-01", "2020-01-01 10:00:00", "0000-01-01", "9999-12-31", "10000-01-01", "2020-01-01x", "2020-1 -2", "-5-1-1", "", "x", "2020-01-01-01", "2020-12-31"}) line(() -> BinaryStringDataUtil.toDate(str(n.getBytes())), "text_date", hex(n));
        for (String n : new String[] {"12", "12:30", "12:30:15", "12:30:15.5", "12:30:15.12345", "12:30:15.9996", "24:00:00", "12:60", "1:2:3", "12:30:15+02:00", "12:30:15-02:30", "12+01:00", "12:30+01", "12:30:15.1+01:00", "", "x", " 12 : 30 ", "12:30:15.x", "23:59:59.999", "12:30:15."}) for (int p : new int[] {0, 1, 3}) line(() -> BinaryStringDataUtil.toTime(str(n.getBytes()), p), "text_time", hex(n), p);
        for (String n : new String[] {"2020-01-02", "2020-1-2 3:4:5.", "2020-01-02 03:04:05.123456789", "2020-02-30", "2020-04-31", "2020-01-32", "+10000-01-01", "+2020-01-01", "02020-01-01", "2020-01-02 24:00:00", "2020-12-31 24:00:00", "2020-01-02 24:00:01", "2020-01-02T03:04:05", " 2020-01-02", "2020-001-02", "0000-01-01", "0001-01-01 00:00:00", "1969-12-31 23:59:59.9999", "2020-1-2 3:4", "2020-01-02 03:04:05.1234567890"}) for (int p : new int[] {0, 3, 5, 9}) line(() -> { TimestampData t = BinaryStringDataUtil.toTimestamp(str(n.getBytes()), p); return t.getMillisecond() + ":" + t.getNanoOfMillisecond(); }, "text_timestamp", hex(n), p);
        for (int i = 0; i < 60; i++) {
            int d = i < 20 ? R.nextInt(200) - 100 : R.nextInt(6_000_000) - 2_000_000;
            line(() -> hex(DateTimeUtils.formatDate(d)), "date_text", d);
            int m = R.nextInt(100) - 50;
            line(() -> DateTimeUtils.addMonths(d, m), "add_months", d, m);
            int t = R.nextInt(86_400_000), p = R.nextInt(4);
            line(() -> hex(DateTimeUtils.formatTimestampMillis(t, p)), "time_text", t, p);
            line(() -> hex(DateTimeUtils.formatIntervalYearMonth(m)), "months_text", m);
            long ms = millis();
            line(() -> hex(DateTimeUtils.formatIntervalDayTime(ms)), "interval_text", ms);
        }
        DateTimeUtils.TimeUnitRange[] units = {DateTimeUtils.TimeUnitRange.YEAR, DateTimeUtils.TimeUnitRange.MONTH, DateTimeUtils.TimeUnitRange.DAY, DateTimeUtils.TimeUnitRange.QUARTER, DateTimeUtils.TimeUnitRange.DOY, DateTimeUtils.TimeUnitRange.ISOYEAR, DateTimeUtils.TimeUnitRange.DOW, DateTimeUtils.TimeUnitRange.ISODOW, DateTimeUtils.TimeUnitRange.WEEK, DateTimeUtils.TimeUnitRange.DECADE, DateTimeUtils.TimeUnitRange.CENTURY, DateTimeUtils.TimeUnitRange.MILLENNIUM};
        for (int i = 0; i < 40; i++) {
            long ms = millis(); int nanos = R.nextInt(1_000_000);
            for (DateTimeUtils.TimeUnitRange u : units) {
                line(() -> DateTimeUtils.extractFromDate(u, ms / 86_400_000L), "extract", u, ms);
                boolean rounds = u != DateTimeUtils.TimeUnitRange.DOY && u != DateTimeUtils.TimeUnitRange.ISOYEAR && u != DateTimeUtils.TimeUnitRange.DOW && u != DateTimeUtils.TimeUnitRange.ISODOW && u != DateTimeUtils.TimeUnitRange.DAY;
                if (rounds) { line(() -> DateTimeUtils.unixTimestampFloor(u, ms), "floor", u, ms); line(() -> DateTimeUtils.unixTimestampCeil(u, ms), "ceil", u, ms); }
            }
            for (long unit : new long[] {86_400_000L, 3_600_000L, 60_000L, 1000L}) { line(() -> SqlFunctionUtils.floor(ms, unit), "floor", unit, ms); line(() -> SqlFunctionUtils.ceil(ms, unit), "ceil", unit, ms); }
            TimestampData ts = TimestampData.fromEpochMillis(ms, nanos);
            for (int p : new int[] {0, 3, 6, 9}) line(() -> hex(DateTimeUtils.formatTimestamp(ts, DateTimeUtils.UTC_ZONE, p)), "timestamp_text", ms, nanos, p);
            for (int p : new int[] {0, 1, 3, 4, 6}) line(() -> { TimestampData t = DateTimeUtils.truncate(ts, p); return t.getMillisecond() + ":" + t.getNanoOfMillisecond(); }, "truncate", ms, nanos, p);
            for (String f : new String[] {"yyyy-MM-dd", "HH:mm", "yyyy-MM-dd HH:mm:ss.SSSSSS", "y/M/d h:m:s", "yy'T'HH''mm", "uuuu-MM-dd'T'HH:mm:ss.SSS", "yyyyy u yyy", "K k kk hh SS", "dd.MM.yyyy"}) line(() -> hex(DateTimeUtils.formatTimestamp(ts, f)), "date_format", hex(f), ms, nanos);
        }
        for (String z : new String[] {"Asia/Shanghai", "Europe/Berlin", "America/New_York", "UTC", "GMT+05:30"}) for (int i = 0; i < 25; i++) {
            long ms = R.nextInt(2_000_000_000) * 1000L + 123; if (i < 4) ms = 1585443600000L - 3_600_000L + i * 1_800_000L; if (i >= 4 && i < 8) ms = 1603587600000L + (i - 4) * 1_800_000L;
            long m = ms; TimeZone tz = TimeZone.getTimeZone(z);
            line(() -> DateTimeUtils.timestampWithLocalZoneToTimestamp(TimestampData.fromEpochMillis(m), tz).getMillisecond(), "local", z, m);
            line(() -> DateTimeUtils.timestampToTimestampWithLocalZone(TimestampData.fromEpochMillis(m), tz).getMillisecond(), "instant", z, m);
        }
        for (int i = 0; i < 400; i++) { byte[] b = wildBytes(); line(() -> hex(new String(b, StandardCharsets.UTF_8)), "decode", hex(b)); }
        for (int i = 0; i < 200; i++) {
            byte[] b = text(i % 2 == 0);
            // A text that ends within a character reads beyond its end in Flink.
            line(() -> hex(str(b).toLowerCase().toBytes()), "lower", hex(b));
            line(() -> hex(str(b).toUpperCase().toBytes()), "upper", hex(b));
            byte[] c = text(false), d = text(false);
            int pos = R.nextInt(9) - 4, len = R.nextInt(6) - 1;
            line(() -> { BinaryStringData r = BinaryStringDataUtil.substringSQL(str(c), pos, len); return r == null ? "null" : hex(r.toBytes()); }, "substring", hex(c), pos, len);
            line(() -> str(c).numChars(), "length", hex(c));
            byte[] piece = PIECES[R.nextInt(PIECES.length)].getBytes(StandardCharsets.UTF_8);
            line(() -> SqlFunctionUtils.position(str(piece), str(c), pos), "position", hex(piece), hex(c), pos);
            line(() -> hex(BinaryStringDataUtil.trim(str(c), true, true, BinaryStringData.fromString(new String(piece, StandardCharsets.UTF_8))).toBytes()), "trim", hex(c), hex(piece));
            line(() -> hex(SqlFunctionUtils.splitIndex(new String(c, StandardCharsets.UTF_8), new String(piece, StandardCharsets.UTF_8), i0(pos))), "split", hex(c), hex(piece), i0(pos));
            line(() -> hex(SqlFunctionUtils.replace(new String(c, StandardCharsets.UTF_8), new String(piece, StandardCharsets.UTF_8), "xy")), "replace", hex(c), hex(piece));
            line(() -> SqlLikeUtils.like(new String(c, StandardCharsets.UTF_8), new String(d, StandardCharsets.UTF_8)), "like", hex(c), hex(d));
        }
        String[] patterns = {"(&|^)channel_id=([^&]*)", "a|ab", "(a|ab)(c|bcd)?", "[a-z]+(\\d{2,3})", "x*?y", "(?:a+)b", "[^/]+//([^/:]+)", "\\w+@(\\w+)\\.com", "^a.c", "a{2}", "[\\d.]+", "(x?)b", "a\\sb", "\\S+", "[-a]b", "[^a-c]", "é+", "(😀|a)b", "a.b"};
        String[] subjects = {"", "channel_id=5&x=1", "https://a.b/c?channel_id=9&channel_id=8", "xchannel_id=1", "ab", "abcd", "abc12345", "xxy", "aaab", "http://host:80/p", "me@example.com now", "a\nc", "abc", "aa", "1.2.3", "b", "a b", "ééx", "😀b", "-b", "a\u2028b", "a😀b", "a\rb"};
        for (String p : patterns) for (String s : subjects) for (int g : new int[] {0, 1, 2}) line(() -> hex(SqlFunctionUtils.regexpExtract(s, p, g)), "regexp", hex(p), hex(s), g);
    }
    static int i0(int x) { return Math.abs(x) % 4; }
}
