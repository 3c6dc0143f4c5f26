import { GatewayError } from '../../canonical/failure.ts'

/** Creates the error of a stream that breaks its format. `holds` names the invalid content. */
export function brokenStream(holds: string): GatewayError {
  return new GatewayError('upstream_bad_response', { message: `its stream holds ${holds}.` })
}
