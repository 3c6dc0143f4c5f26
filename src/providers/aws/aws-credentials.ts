import { GatewayError } from '../../canonical/failure.ts'

/** What requests to AWS are signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Beside keys that expire. */
  readonly sessionToken?: string | undefined
  /** Wall time in milliseconds; absent where the credentials have no expiry. */
  readonly expiresAtMs?: number | undefined
}

/** What is wrong with the credentials for AWS, for the log; the caller gets the message of the error table. */
export function awsRefusal(message: string): GatewayError {
  return new GatewayError('upstream_credential', { message })
}
