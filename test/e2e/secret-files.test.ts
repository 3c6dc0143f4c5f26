import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { testAdminToken, testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'

const before = 'sk-before-0123456789'
const after = 'sk-after-9876543210'
const team = 'team-word-of-a-file'
const environment = { HEADGATE_ADMIN_TOKEN: testAdminToken }
const auditSchema = z.object({
  data: z.array(
    z.object({ author: z.string(), action: z.string(), subject: z.string(), details: z.array(z.string()) }),
  ),
})

it('a secret in a file rotates by a reload, is never shown, and every reload is in the audit log', async () => {
  await using upstream = await openScriptedUpstream(() => sseAnswer([sampleStreams.chat.bytes]))
  const yaml = [
    `keys: [{ name: test, secret: ${testKey} }]`,
    `channels: [{ name: a, provider: openai-compatible, base_url: "${upstream.origin}/v1", models: [m], allow_private: true,`,
    `  api_key: "\${file:upstream-key}", headers: { x-team: "\${file:team}" } }]`,
  ].join('\n')
  await using gateway = await startProcess(
    yaml,
    { 'upstream-key': `${before}\n`, team: `${team}\n` },
    { environment },
  )
  const askUpstream = async (index: number) => {
    await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
    const { headers } = await upstream.request(index)
    return [headers.authorization, headers['x-team']]
  }
  expect(await askUpstream(0)).toEqual([`Bearer ${before}`, team])
  writeFileSync(join(gateway.folder, 'upstream-key'), after)
  expect(await gateway.reload(yaml)).toContain('configuration reloaded')
  expect(await askUpstream(1)).toEqual([`Bearer ${after}`, team])
  rmSync(join(gateway.folder, 'upstream-key'))
  expect(await gateway.reload(yaml)).toContain('configuration not reloaded')
  expect(await askUpstream(2)).toEqual([`Bearer ${after}`, team])

  const askAdmin = createAskAdmin(gateway.url)
  const audit = JSON.stringify((await askAdmin('GET', '/audit')).body)
  const { data } = auditSchema.parse(JSON.parse(audit))
  expect(data.filter(({ action }) => action.startsWith('config.'))).toMatchObject([
    {
      author: 'signal SIGHUP',
      action: 'config.reload_refused',
      subject: 'headgate.yaml',
      details: [
        expect.stringMatching(/^headgate\.yaml:\d+:\d+: channels\[0\]\.api_key: the file .* does not exist$/),
      ],
    },
    {
      author: 'signal SIGHUP',
      action: 'config.reload',
      subject: 'headgate.yaml',
      details: ['channel "a": api_key changed from "…6789" to "…3210"'],
    },
  ])
  const config = JSON.stringify((await askAdmin('GET', '/config')).body)
  expect(config).toContain('"x-team":"…"')
  for (const secret of [before, after, team]) {
    expect(`${config}${audit}${gateway.output()}${gateway.errors()}`).not.toContain(secret)
  }
})
