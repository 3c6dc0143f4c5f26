import type { EmbeddingFormat } from './embedding-format.ts'
import type { TokenCountFormat } from './token-count-format.ts'
import type { ConversationFormat } from './wire-format.ts'

export type CallerFormat = ConversationFormat | EmbeddingFormat | TokenCountFormat
