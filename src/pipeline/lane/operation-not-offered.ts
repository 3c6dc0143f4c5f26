import { GatewayError } from '../../canonical/failure.ts'

/** The error of a channel that does not offer an operation, such as `embeddings`, for any of its models. */
export function operationNotOffered(model: string, operation: string): GatewayError {
  return new GatewayError('operation_not_supported', {
    param: 'model',
    message: `The channel for the model ${JSON.stringify(model)} does not offer ${operation}. Name another model, or ask the operator of this gateway for one that does.`,
  })
}
