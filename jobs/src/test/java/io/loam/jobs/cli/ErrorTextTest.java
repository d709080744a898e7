package io.loam.jobs.cli;

import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import static org.assertj.core.api.Assertions.assertThat;

class ErrorTextTest {
    @Test
    void messageOfWhatFailed() {
        assertThat(ErrorText.of(new IOException("disk full"))).isEqualTo("disk full");
    }

    @Test
    void wrappersOfFuturesAreTakenOff() {
        Exception inner = new IOException("inner");
        assertThat(ErrorText.of(new ExecutionException(new CompletionException(inner))))
                .isEqualTo("inner");
    }

    @Test
    void onlyTheFirstLine() {
        assertThat(ErrorText.of(new IOException("first\nsecond"))).isEqualTo("first");
    }

    @Test
    void failureWithoutMessageIsNamed() {
        assertThat(ErrorText.of(new IllegalStateException())).isEqualTo("IllegalStateException");
        assertThat(ErrorText.of(new IOException())).isEqualTo("IOException");
        assertThat(ErrorText.of(new IOException(""))).isEqualTo("IOException");
    }

    @Test
    void fileErrorsSayMoreThanTheFile() {
        assertThat(ErrorText.of(new AccessDeniedException("/a"))).isEqualTo("no permission for /a");
        assertThat(ErrorText.of(new NoSuchFileException("/a"))).isEqualTo("no file at /a");
        assertThat(ErrorText.of(new FileSystemException("/a/b", null, "Not a directory")))
                .isEqualTo("/a/b: Not a directory");
        assertThat(ErrorText.of(new FileSystemException("/a/b")))
                .isEqualTo("FileSystemException: /a/b");
    }

    @Test
    void silenceOfBrokerOrDatabaseIsTold() {
        String start = "the broker or database does not answer: ";
        assertThat(ErrorText.of(new TimeoutException("15 s"))).isEqualTo(start + "15 s");
        assertThat(ErrorText.of(new IOException("no", new ConnectException("refused"))))
                .isEqualTo(start + "no");
    }

    @Test
    void ownMessagesAreNotWrapped() {
        Exception own = new CliException("no broker answers at x", new TimeoutException("15 s"));
        assertThat(ErrorText.of(own)).isEqualTo("no broker answers at x");
    }

    @Test
    void deepestMessage() {
        Exception chain = new Exception("outer", new IOException("cause", new Exception()));
        assertThat(ErrorText.deepest(chain)).isEqualTo("cause");
        assertThat(ErrorText.deepest(new Exception())).isEqualTo("java.lang.Exception");
    }
}
