/** Objects in S3 and what speaks its protocol. The only importer of the AWS SDK. */
package io.loam.s3;
