import { X509Certificate } from 'node:crypto'
import type { Config, FileLayer } from '../../config/config.ts'
import { apiSettings } from '../../config/layers/api-document.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import type { AdminRoute } from '../admin-route.ts'
import type { ConfigOperations } from '../config/config-operations.ts'
import type { ConfigState } from '../config/live-config.ts'
import { createSettingChanges } from './change-settings.ts'
import { type SectionView, type SettingsView, settingsViewSchema } from './settings-contract.ts'
import { writeSettings } from './write-settings.ts'

export interface SettingsSource {
  readonly state: () => ConfigState
  readonly config: Pick<ConfigOperations, 'state' | 'edit'>
  /** The version of Headgate. */
  readonly version: string
  /** A time by the wall clock. */
  readonly startedAtMs: number
}

/** The settings in force, without secrets, and changes of those that apply without a restart. */
export function createSettingsRoutes(source: SettingsSource): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: { access: 'read', scope: 'config:read' },
      path: '/admin/v1/settings',
      summary: 'Show the settings in force, defaults included, and who says so; no secrets',
      answer: { status: 200, schema: settingsViewSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...viewSettings(source) } }),
    },
    ...createSettingChanges(source.config, () => viewSettings(source)),
  ]
}

function viewSettings({ state, version, startedAtMs }: Omit<SettingsSource, 'config'>): SettingsView {
  const now = state()
  const { config, file } = now
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    pid: process.pid,
    started_at: writeTime(startedAtMs),
    source: config.source.type === 'file' ? config.source.path : null,
    data_folder: config.dataFolder,
    public_url: config.publicUrl ?? null,
    certificate: viewCertificate(config),
    config_version: now.serving.number,
    sections: listSections(now, file.file),
    warnings: [...config.warnings],
  }
}

const afterRestart: ReadonlySet<string> = new Set(['listen', 'data', 'admin', 'tls'])

function listSections({ config, serving }: ConfigState, { value, outer }: FileLayer): SectionView[] {
  const ownerOf = (name: string): SectionView['owner'] => {
    if ((name === 'listen' || name === 'data') && outer[name] !== undefined) return 'environment'
    if (value[name] !== undefined) return 'file'
    return serving.document[name] === undefined ? 'default' : 'api'
  }
  return Object.entries(writeSettings(config)).map(([name, inForce]) => ({
    name,
    owner: ownerOf(name),
    restart: afterRestart.has(name),
    editable: value[name] === undefined && apiSettings.some((setting) => setting === name),
    value: settingsViewSchema.shape.sections.element.shape.value.parse(inForce),
  }))
}

function viewCertificate({ tls }: Config): SettingsView['certificate'] {
  if (tls === undefined) return null
  const { subject, issuer, subjectAltName = '', validToDate, fingerprint256 } = new X509Certificate(tls.cert)
  return {
    subject: subject.replaceAll('\n', ', '),
    issuer: issuer.replaceAll('\n', ', '),
    names: subjectAltName.split(', ').filter((name) => name !== ''),
    expires_at: validToDate.toISOString(),
    fingerprint: fingerprint256,
  }
}
