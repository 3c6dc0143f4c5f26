import type { EmbeddingFormat } from './embedding-format.ts'
import type { ImageFormat } from './image-format.ts'
import type { ModerationFormat } from './moderation-format.ts'
import type { RerankFormat } from './rerank-format.ts'
import type { SpeechFormat } from './speech-format.ts'
import type { TokenCountFormat } from './token-count-format.ts'
import type { TranscriptionFormat } from './transcription-format.ts'
import type { ConversationFormat } from './wire-format.ts'

export type CallerFormat =
  | ConversationFormat
  | EmbeddingFormat
  | RerankFormat
  | ModerationFormat
  | ImageFormat
  | TranscriptionFormat
  | SpeechFormat
  | TokenCountFormat
