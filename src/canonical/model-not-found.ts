import { GatewayError } from './failure.ts'

/** The length at which a caller's model name is cut in an error. */
const MAX_SHOWN_CHARACTERS = 256

export interface MissingModel {
  /** The path that lists the models which the key may use. */
  readonly listPath?: string
  /** The cause for operators only. */
  readonly logCause?: string
}

/**
 * The error for a model that does not exist or that the key may not use. It is the same in both cases, because a caller
 * without a grant must not learn names.
 */
export function modelNotFound(
  name: string,
  { listPath = '/v1/models', logCause }: MissingModel = {},
): GatewayError {
  return new GatewayError('model_not_found', {
    param: 'model',
    message: `There is no model ${JSON.stringify(name.slice(0, MAX_SHOWN_CHARACTERS))} that this API key may use. GET ${listPath} lists those that it may use.`,
    ...(logCause !== undefined && { logCause }),
  })
}
