// The formats of callers and channels, for the pipeline and the listeners.
import { chatFormat } from '../wire/chat/format.ts'
import { cohereFormat } from '../wire/cohere/format.ts'
import { completionsFormat } from '../wire/completions/format.ts'
import { bedrockConverseFormat } from '../wire/converse/caller-format.ts'
import { converseFormat } from '../wire/converse/format.ts'
import { channelEmbeddings, embeddingsFormat } from '../wire/embeddings/format.ts'
import { geminiCountTokensFormat } from '../wire/gemini/count-tokens-format.ts'
import { batchEmbedContentsFormat } from '../wire/gemini/embeddings/batch-embed-contents-format.ts'
import { embedContentFormat } from '../wire/gemini/embeddings/embed-content-format.ts'
import { geminiFormat } from '../wire/gemini/format.ts'
import { imageEditsFormat, imageGenerationsFormat } from '../wire/images/format.ts'
import { countTokensFormat } from '../wire/messages/count-tokens/count-tokens-format.ts'
import { messagesFormat } from '../wire/messages/format.ts'
import { moderationsFormat } from '../wire/moderations/format.ts'
import { ollamaEmbeddingsFormat, ollamaEmbedFormat } from '../wire/ollama/embeddings/embed-format.ts'
import { ollamaChatFormat, ollamaGenerateFormat } from '../wire/ollama/format.ts'
import { rerankFormat } from '../wire/rerank/format.ts'
import { responsesFormat } from '../wire/responses/format.ts'
import { speechFormat } from '../wire/speech/format.ts'
import { transcriptionsFormat, translationsFormat } from '../wire/transcriptions/format.ts'

const formats = {
  // Channels with OpenAI's chat completions also have OpenAI's embeddings.
  chat: { ...chatFormat, embeddings: channelEmbeddings },
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}

/** The formats of channels. */
export const channelFormats = { ...formats, cohere: cohereFormat, converse: converseFormat }
/** The operations that callers can request. */
export const callerFormats = {
  ...formats,
  completions: completionsFormat,
  embeddings: embeddingsFormat,
  'count-tokens': countTokensFormat,
  'gemini-count-tokens': geminiCountTokensFormat,
  'embed-content': embedContentFormat,
  'batch-embed-contents': batchEmbedContentsFormat,
  rerank: rerankFormat,
  moderations: moderationsFormat,
  'image-generations': imageGenerationsFormat,
  'image-edits': imageEditsFormat,
  transcriptions: transcriptionsFormat,
  translations: translationsFormat,
  speech: speechFormat,
  'ollama-chat': ollamaChatFormat,
  'ollama-generate': ollamaGenerateFormat,
  'ollama-embed': ollamaEmbedFormat,
  'ollama-embeddings': ollamaEmbeddingsFormat,
  'bedrock-converse': bedrockConverseFormat,
}
