import type { JsonObject } from '../kit/json/json.ts'

/** The body that a provider wants for a format where its path names the model. */
export interface BodyShape {
  /** Fields written in the position of the model; never empty. */
  readonly modelReplacement: JsonObject
  /** Whether the path also selects streaming, so that the body must not. */
  readonly isStreamInPath: boolean
}

export function shapeBody(body: JsonObject, { modelReplacement, isStreamInPath }: BodyShape): JsonObject {
  const { model: _model, stream, ...rest } = body
  const streamField = isStreamInPath || stream === undefined ? {} : { stream }
  return { ...modelReplacement, ...streamField, ...rest }
}
