import { AzureOpenAI, toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { keyA } from '../support/object-gateway.ts'
import { lineOf, openBatchGateway } from '../support/open-batch-gateway.ts'

const twoLines = [lineOf(1), lineOf(2)]

/** The versions of the classic addresses and of the newer ones. */
describe.each(['2024-10-21', 'preview'])(
  "the OpenAI SDK's client for Azure, onto Azure by %s",
  (azureVersion) => {
    async function open() {
      const opened = await openBatchGateway({ azureVersion })
      const client = new AzureOpenAI({
        endpoint: opened.gateway.url,
        apiKey: keyA,
        apiVersion: '2024-10-21',
        maxRetries: 0,
      })
      const file = await toFile(Buffer.from(`${twoLines.join('\n')}\n`), 'requests.jsonl')
      const upload = () => client.files.create({ file, purpose: 'batch' })
      return { opened, client, upload }
    }

    it('uploads, retrieves, waits for, lists, reads and deletes files', async () => {
      const { opened, client, upload } = await open()
      await using _gateway = opened
      const file = await upload()
      expect(file.status).toBe('pending')
      expect((await client.files.waitForProcessing(file.id)).status).toBe('processed')
      expect(JSON.stringify(await client.files.retrieve(file.id))).not.toContain('REMOTE')
      expect((await client.files.list()).data.map(({ id }) => id)).toEqual([file.id])
      expect(await (await client.files.content(file.id)).text()).toBe(`${twoLines.join('\n')}\n`)
      expect((await client.files.delete(file.id)).deleted).toBe(true)
      expect(opened.upstream.files.size).toBe(0)
    })

    it('creates, retrieves, lists and cancels batches, and bills them by their output', async () => {
      const { opened, client, upload } = await open()
      await using _gateway = opened
      const asked = { endpoint: '/v1/chat/completions', completion_window: '24h' } as const
      const batch = await client.batches.create({ input_file_id: (await upload()).id, ...asked })
      const other = await client.batches.create({ input_file_id: (await upload()).id, ...asked })
      expect((await client.batches.cancel(other.id)).status).toBe('cancelled')
      expect((await client.batches.list()).data.map(({ id }) => id)).toEqual([other.id, batch.id])
      opened.upstream.finish({ prompt_tokens: 100, completion_tokens: 10 })
      const { output_file_id: output } = await client.batches.retrieve(batch.id)
      const lines = (await (await client.files.content(output ?? '')).text()).trimEnd().split('\n')
      expect(lines.length).toBe(2)
      expect(lines.join()).not.toContain('REMOTE')
      // 2 × (100 × $1 + 10 × $4) for a million tokens; what was cancelled costs nothing.
      await expect
        .poll(async () => {
          const { body } = await createAskAdmin(opened.gateway.url)('GET', '/ledger?limit=100')
          const { data } = body as { readonly data: readonly Record<string, unknown>[] }
          return data.reduce((sum, row) => sum + Math.round(Number(row['cost_usd']) * 1e9), 0)
        })
        .toBe(280_000)
    })
  },
)
