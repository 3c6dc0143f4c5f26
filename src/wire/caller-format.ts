import type { EmbeddingFormat } from './operations/embedding-format.ts'
import type { ImageFormat } from './operations/image-format.ts'
import type { ModerationFormat } from './operations/moderation-format.ts'
import type { RerankFormat } from './operations/rerank-format.ts'
import type { SpeechFormat } from './operations/speech-format.ts'
import type { TokenCountFormat } from './operations/token-count-format.ts'
import type { TranscriptionFormat } from './operations/transcription-format.ts'
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
