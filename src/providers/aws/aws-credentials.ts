import { GatewayError } from '../../canonical/failure.ts'

/** The credentials that sign requests to AWS. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The session token of temporary keys. */
  readonly sessionToken?: string | undefined
  /** Wall-clock time in milliseconds. Absent where the credentials have no expiry. */
  readonly expiresAtMs?: number | undefined
}

/** Makes the error of AWS credentials, with its reason for the log. The caller gets the message of the error table. */
export function awsRefusal(message: string, cause?: unknown): GatewayError {
  return new GatewayError('upstream_credential', { message }, cause === undefined ? undefined : { cause })
}
