package io.loam.codec.schema;

/** A schema, or a change of one, that breaks a rule. The rule has a short name. */
public class SchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;

    public SchemaException(String rule, String message) {
        super(message);
        this.rule = rule;
    }

    public String rule() {
        return rule;
    }
}
