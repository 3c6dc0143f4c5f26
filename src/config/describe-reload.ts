import type { Config } from './config.ts'
import { configSchema } from './config-schema.ts'
import { apiSettings } from './layers/api-document.ts'
import { describeChanges, isSameJson } from './layers/describe-changes.ts'
import { maskSecrets, maskTexts } from './secrets/mask-secrets.ts'

/** Told object by object: `describeChanges` of channels, models and settings, the store of keys of each key. */
const emittedElsewhere: ReadonlySet<string> = new Set(['channels', 'models', 'keys', ...apiSettings])

/** What another file changes, a sentence each, without secrets. */
export function describeReload(before: Config, after: Config): readonly string[] {
  const texts = [...before.file.fileTexts, ...after.file.fileTexts]
  const [old, now] = [before.file.value, after.file.value]
  const changes = describeChanges(old, now, (document) => maskTexts(maskSecrets(document), texts))
  const settings = Object.keys(configSchema.shape).filter(
    (name) => !emittedElsewhere.has(name) && !isSameJson(old[name], now[name]),
  )
  const isOtherCertificate = before.tls?.cert !== after.tls?.cert || before.tls?.key !== after.tls?.key
  const all = [
    ...changes,
    ...(isSameJson(old['keys'], now['keys']) ? [] : ['keys changed']),
    ...settings.map((name) => `setting ${name} changed`),
    ...(isOtherCertificate && !settings.includes('tls') ? ['the certificate or its key changed'] : []),
  ]
  return all.length === 0 ? ['nothing changed'] : all
}
