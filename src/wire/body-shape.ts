import type { JsonObject } from '../kit/json/json.ts'

/** How a provider wants the body of a format where its path says the model. */
export interface BodyShape {
  /** Fields that stand where the model stood; not to be empty. */
  readonly modelReplacement: JsonObject
  /** Whether the path says as well if a stream is asked for, so that the body must not. */
  readonly isStreamInPath: boolean
}

/** A written body in that shape. */
export function shapeBody(body: JsonObject, { modelReplacement, isStreamInPath }: BodyShape): JsonObject {
  const { model: _model, stream, ...rest } = body
  const streamField = isStreamInPath || stream === undefined ? {} : { stream }
  return { ...modelReplacement, ...streamField, ...rest }
}
