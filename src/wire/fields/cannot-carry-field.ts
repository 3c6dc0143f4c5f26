import { GatewayError } from '../../canonical/failure.ts'

/** Creates the error for a field that a channel cannot carry. `fault` continues the sentence "The channel …". */
export function cannotCarryField(param: string, fault: string): GatewayError {
  return new GatewayError('cannot_be_carried', {
    param,
    message: `The channel for this model ${fault}, so that "${param}" cannot be carried. Change it or leave it out, or use another model.`,
  })
}
