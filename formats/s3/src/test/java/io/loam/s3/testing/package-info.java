/** S3 servers for tests, and a proxy that counts and disturbs what is asked of them. */
package io.loam.s3.testing;
