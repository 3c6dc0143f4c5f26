import { GatewayError } from '../../canonical/failure.ts'

/** What is wrong with the credentials for AWS, for the log; the caller gets the words of the table. */
export function awsRefusal(message: string): GatewayError {
  return new GatewayError('upstream_credential', { message })
}
