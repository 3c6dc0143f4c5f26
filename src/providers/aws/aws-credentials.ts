import { GatewayError } from '../../canonical/failure.ts'

/** The credentials that sign requests to AWS. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The token beside keys that expire. */
  readonly sessionToken?: string | undefined
  /** Wall time in milliseconds; absent where the credentials have no expiry. */
  readonly expiresAtMs?: number | undefined
}

/** The error of credentials for AWS, with its reason for the log; the caller gets the message of the error table. */
export function awsRefusal(message: string, cause?: unknown): GatewayError {
  return new GatewayError('upstream_credential', { message }, cause === undefined ? undefined : { cause })
}
