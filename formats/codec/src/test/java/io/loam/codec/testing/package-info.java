/** What the tests of every module share: the size of a campaign and its report. */
package io.loam.codec.testing;
