import { expect, it } from 'vitest'
import { createCommandRunner } from '../../../test/support/run-commands.ts'
import { startGateway } from '../../../test/support/start-gateway.ts'
import { registerProvidersCommand } from './providers.ts'

it('lists providers with their formats, addresses and settings, with optional settings in brackets', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const { out } = await createCommandRunner(gateway.dataFolder, registerProvidersCommand)('providers')
  expect(out).toMatch(/^PROVIDER +FORMATS +ADDRESS +KEY +SETTINGS +MODELS/)
  expect(out).toMatch(/groq +chat +https:\/\/api\.groq\.com/)
  expect(out).toMatch(/azure-openai +\S+ +given by you +required +\[api_version\]/)
  expect(out).toMatch(/demo +\S+ +Headgate itself +none/)
})
