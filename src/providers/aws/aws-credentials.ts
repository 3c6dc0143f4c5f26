/** What requests to AWS are signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Beside keys that expire. */
  readonly sessionToken?: string | undefined
  /** Wall time in milliseconds; absent where they do not say it. */
  readonly expiresAtMs?: number | undefined
}
