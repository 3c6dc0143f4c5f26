import type { JsonObject } from '../kit/json/json.ts'

/** The request body that a provider wants for a format where the provider's path names the model. */
export interface BodyShape {
  /** Fields written at the position of the `model` field; never empty. */
  readonly modelReplacement: JsonObject
  /** Whether the path also selects streaming. The body must then not contain the streaming field. */
  readonly isStreamInPath: boolean
}

export function shapeBody(body: JsonObject, { modelReplacement, isStreamInPath }: BodyShape): JsonObject {
  const { model: _model, stream, ...rest } = body
  const streamField = isStreamInPath || stream === undefined ? {} : { stream }
  return { ...modelReplacement, ...streamField, ...rest }
}
