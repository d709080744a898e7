package io.loam.s3.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One connection through the proxy: HTTP/1.1, one request after the other. */
final class WireConnection {
    private static final int SLOW_MS = 150;
    private static final int SILENT_MS = 600_000;

    private final InputStream fromClient;
    private final OutputStream toClient;
    private final InputStream fromServer;
    private final OutputStream toServer;
    private List<String> head = List.of();
    private byte[] body = new byte[0];
    private int status;
    private long answered;

    WireConnection(Socket client, Socket server) throws IOException {
        fromClient = new BufferedInputStream(client.getInputStream(), 1 << 16);
        toClient = client.getOutputStream();
        fromServer = new BufferedInputStream(server.getInputStream(), 1 << 16);
        toServer = server.getOutputStream();
    }

    String method() {
        return head.get(0).split(" ")[0];
    }

    String target() {
        return head.get(0).split(" ")[1];
    }

    WireRequest seen(long start, long end) {
        return new WireRequest(
                method(), target(), header(head, "range"), answered, status, start, end);
    }

    /** Reads the next request whole; false at the end of the connection. */
    boolean readRequest() throws IOException {
        head = readHead(fromClient);
        if (head.isEmpty()) {
            return false;
        }
        if (!header(head, "expect").isEmpty()) {
            toClient.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            head = new ArrayList<>(head);
            head.removeIf(line -> line.toLowerCase(Locale.ROOT).startsWith("expect:"));
        }
        body = readBody(fromClient, head);
        status = 0;
        answered = 0;
        return true;
    }

    /** Passes the request on as the fault says; false if the connection ends with it. */
    boolean exchange(WireFault fault) throws IOException, InterruptedException {
        switch (fault) {
            case ERROR_BEFORE:
                return fail();
            case DROP_BEFORE:
                return false;
            case SILENT_BEFORE:
                WireProxy.pause(SILENT_MS);
                return false;
            default:
                break;
        }
        write(toServer, head, body);
        List<String> answerHead = readHead(fromServer);
        if (answerHead.isEmpty()) {
            return false;
        }
        boolean bodiless = method().equals("HEAD");
        byte[] answer = bodiless ? new byte[0] : readBody(fromServer, answerHead);
        switch (fault) {
            case ERROR_AFTER:
                return fail();
            case DROP_AFTER:
                return false;
            case SILENT_AFTER:
                WireProxy.pause(SILENT_MS);
                return false;
            case CUT:
                byte[] half = java.util.Arrays.copyOf(answer, answer.length / 2);
                write(toClient, answerHead, half);
                return false;
            case SLOW:
                WireProxy.pause(SLOW_MS);
                break;
            default:
                break;
        }
        status = Integer.parseInt(answerHead.get(0).split(" ")[1]);
        answered = answer.length;
        write(toClient, answerHead, answer);
        return !header(answerHead, "connection").equalsIgnoreCase("close");
    }

    private boolean fail() throws IOException {
        status = 500;
        String text =
                "<?xml version=\"1.0\"?><Error><Code>InternalError</Code>"
                        + "<Message>injected</Message></Error>";
        boolean bodiless = method().equals("HEAD");
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(
                toClient,
                List.of(
                        "HTTP/1.1 500 Internal Server Error",
                        "Content-Type: application/xml",
                        "Content-Length: " + bytes.length),
                bodiless ? new byte[0] : bytes);
        return true;
    }

    private static void write(OutputStream to, List<String> head, byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String line : head) {
            bytes.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        }
        bytes.write("\r\n".getBytes(StandardCharsets.US_ASCII));
        bytes.write(body);
        bytes.writeTo(to);
        to.flush();
    }

    /** First line and headers; empty at the end of the stream. */
    private static List<String> readHead(InputStream from) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = readLine(from); line != null; line = readLine(from)) {
            if (line.isEmpty()) {
                if (!lines.isEmpty()) {
                    return lines;
                }
            } else {
                lines.add(line);
            }
        }
        return List.of();
    }

    private static String readLine(InputStream from) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = from.read(); b >= 0; b = from.read()) {
            if (b == '\n') {
                return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
            }
            line.write(b);
        }
        return null;
    }

    /** The body in the form it has on the wire, chunks included. */
    private static byte[] readBody(InputStream from, List<String> head) throws IOException {
        String length = header(head, "content-length");
        if (!length.isEmpty()) {
            return exactly(from, Integer.parseInt(length));
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (header(head, "transfer-encoding").equalsIgnoreCase("chunked")) {
            while (true) {
                String size = readLine(from);
                body.write((size + "\r\n").getBytes(StandardCharsets.US_ASCII));
                int count = Integer.parseInt(size.split(";")[0].strip(), 16);
                body.write(exactly(from, count + 2));
                if (count == 0) {
                    break;
                }
            }
        }
        return body.toByteArray();
    }

    private static byte[] exactly(InputStream from, int count) throws IOException {
        byte[] bytes = from.readNBytes(count);
        if (bytes.length != count) {
            throw new EOFException("ended after " + bytes.length + " of " + count);
        }
        return bytes;
    }

    private static String header(List<String> head, String name) {
        for (String line : head) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).equalsIgnoreCase(name)) {
                return line.substring(colon + 1).strip();
            }
        }
        return "";
    }
}
