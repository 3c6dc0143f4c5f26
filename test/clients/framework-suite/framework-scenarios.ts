import type { FrameworkScenario } from './framework-scenario.ts'
import { abort } from './scenarios/abort.ts'
import { cut, streamError, wholeCut } from './scenarios/cut.ts'
import { embeddings } from './scenarios/embeddings.ts'
import { picture } from './scenarios/picture.ts'
import { badRequest, unknownModel, wrongKey } from './scenarios/refusals.ts'
import { rateLimit, serverError } from './scenarios/retries.ts'
import { snippet } from './scenarios/snippet.ts'
import { stream } from './scenarios/stream.ts'
import { structured } from './scenarios/structured.ts'
import { text } from './scenarios/text.ts'
import { streamedTools, tools } from './scenarios/tools.ts'

export const frameworkScenarios: readonly FrameworkScenario[] = [
  text,
  picture,
  stream,
  tools,
  streamedTools,
  structured,
  embeddings,
  abort,
  wrongKey,
  unknownModel,
  badRequest,
  rateLimit,
  serverError,
  cut,
  streamError,
  wholeCut,
  snippet,
]
