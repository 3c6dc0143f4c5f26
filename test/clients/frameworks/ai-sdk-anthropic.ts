import { createAnthropic } from '@ai-sdk/anthropic'
import { askWithAiSdk } from './ask-with-ai-sdk.ts'
import type { Framework } from './framework.ts'

const framework: Framework = {
  format: 'messages',
  without: { embeddings: 'the library has none' },
  connect({ gatewayUrl, key, model }) {
    const headgate = createAnthropic({ baseURL: `${gatewayUrl}/v1`, apiKey: key })
    return askWithAiSdk(headgate(model))
  },
}
export default framework
