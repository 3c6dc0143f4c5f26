import type { CheckName } from '../certification-contract.ts'
import { chatCheck } from './chat-check.ts'
import type { Check } from './check.ts'
import { documentsCheck } from './documents-check.ts'
import { embeddingsCheck } from './embeddings-check.ts'
import { firstTokenCheck } from './first-token-check.ts'
import { imagesCheck } from './images-check.ts'
import { jsonSchemaCheck } from './json-schema-check.ts'
import { parallelToolsCheck } from './parallel-tools-check.ts'
import { promptCacheCheck } from './prompt-cache-check.ts'
import { reasoningCheck } from './reasoning-check.ts'
import { streamCheck } from './stream-check.ts'
import { tokenCountCheck } from './token-count-check.ts'
import { toolsCheck } from './tools-check.ts'
import { usageCheck } from './usage-check.ts'

/** A new check needs a file in this folder, a line here, and its name and findings in the contract. */
export const allChecks: Readonly<Record<CheckName, Check>> = {
  chat: chatCheck,
  stream: streamCheck,
  tools: toolsCheck,
  parallel_tools: parallelToolsCheck,
  images: imagesCheck,
  documents: documentsCheck,
  json_schema: jsonSchemaCheck,
  reasoning: reasoningCheck,
  prompt_cache: promptCacheCheck,
  embeddings: embeddingsCheck,
  token_counts: tokenCountCheck,
  usage: usageCheck,
  first_token: firstTokenCheck,
}
