import { GatewayError } from '../../canonical/failure.ts'

/** The error of a stream that breaks its format: it `holds` what it must not. */
export function brokenStream(holds: string): GatewayError {
  return new GatewayError('upstream_bad_response', { message: `its stream holds ${holds}.` })
}
