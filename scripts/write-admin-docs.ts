// Writes the table of docs/admin-api.md from a gateway that it starts: node scripts/write-admin-docs.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { createAskAdmin } from '../test/support/ask-admin.ts'
import { startGateway } from '../test/support/start-gateway.ts'
import { renderAdminDocs } from './render-admin-docs.ts'

await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
const { body } = await createAskAdmin(gateway.url)('GET', '/openapi.json')
const target = new URL('../docs/admin-api.md', import.meta.url)
writeFileSync(target, renderAdminDocs(readFileSync(target, 'utf8'), body))
