package io.loam.jobs.cli;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TableTest {
    @Test
    void columnsAreAsWideAsTheirWidestCellAndTheLastIsNotPadded() {
        Table table = new Table("a", "bb");
        table.row("long", 1);
        table.row(2, null);
        assertThat(print(table)).containsExactly("a     bb", "long  1", "2     null");
    }

    @Test
    void cellsStayOnOneLineAndShort() {
        Table table = new Table("a");
        table.row("x\n\t y");
        table.row("z".repeat(101));
        table.row("z".repeat(100));
        assertThat(print(table))
                .containsExactly("a", "x y", "z".repeat(97) + "...", "z".repeat(100));
    }

    @Test
    void shorteningDoesNotCutACharacterInTwo() {
        String text = "z".repeat(96) + "\ud83d\ude00".repeat(5);
        assertThat(Table.shorten(text)).isEqualTo("z".repeat(96) + "...");
    }

    @Test
    void controlCharactersDoNotReachTheTerminal() {
        Table table = new Table("a");
        table.row("\u001b[31mred");
        assertThat(print(table)).containsExactly("a", "\ufffd[31mred");
    }

    @Test
    void rowsHaveAsManyCellsAsTheHeader() {
        Table table = new Table("a", "b");
        assertThatThrownBy(() -> table.row("x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a row of 1 cells in a table of 2");
        assertThat(table.isEmpty()).isTrue();
    }

    private static String[] print(Table table) {
        StringWriter out = new StringWriter();
        table.print(new PrintWriter(out));
        return out.toString().split(System.lineSeparator());
    }
}
