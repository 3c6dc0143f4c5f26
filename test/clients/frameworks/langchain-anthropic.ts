import { ChatAnthropic } from '@langchain/anthropic'
import { askWithLangchain } from './ask-with-langchain.ts'
import type { Framework } from './framework.ts'

const framework: Framework = {
  format: 'messages',
  without: { embeddings: 'the library has none' },
  connect({ gatewayUrl, key, model }) {
    const client = askWithLangchain(new ChatAnthropic({ model, apiKey: key, anthropicApiUrl: gatewayUrl }))
    return {
      ...client,
      async stream(prompt, watch) {
        // It adds the output that a stream's first event names to the total that the last one names.
        return { ...(await client.stream(prompt, watch)), usage: undefined }
      },
    }
  },
}
export default framework
