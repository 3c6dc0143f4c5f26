import { X509Certificate } from 'node:crypto'
import { writeConfigJsonSchema } from '../../config/check/known-names.ts'
import type { Config, FileLayer } from '../../config/config.ts'
import { type ConfigWarning, writeConfigWarning } from '../../config/config-warning.ts'
import { apiSettings } from '../../config/layers/api-document.ts'
import { maskTexts } from '../../config/secrets/mask-secrets.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import type { AdminRoute } from '../admin-route.ts'
import type { ConfigOperations } from '../config/config-operations.ts'
import { etagOf } from '../config/config-routes.ts'
import type { ConfigState } from '../config/live-config.ts'
import { listSettings } from '../config/view-config.ts'
import { createSettingChanges } from './change-settings.ts'
import {
  type SectionView,
  type SettingsView,
  settingsViewSchema,
  type WarningFact,
} from './settings-contract.ts'
import { writeSettings } from './write-settings.ts'

export interface SettingsSource {
  readonly state: () => ConfigState
  readonly config: Pick<ConfigOperations, 'edit'>
  /** The version of Headgate. */
  readonly version: string
  /** A wall-clock time. */
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
      handler: async () => ({
        status: 200,
        headers: etagOf(source.state()),
        body: { ...viewSettings(source) },
      }),
    },
    ...createSettingChanges(source.config, () => viewSettings(source)),
  ]
}

function viewSettings({ state, version, startedAtMs }: Omit<SettingsSource, 'config'>): SettingsView {
  const now = state()
  const { config } = now
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
    sections: listSections(now),
    warnings: config.warnings.map(writeConfigWarning),
    warning_facts: config.warnings.map(viewWarning),
  }
}

/** The same in the contract's own, changeable type. */
function viewWarning(warning: ConfigWarning): WarningFact {
  switch (warning.kind) {
    case 'unpriced_refused':
    case 'unpriced_uncounted':
      return { kind: warning.kind, values: { models: [...warning.values.models] } }
    case 'refused_for_price': {
      const refusals = warning.values.refusals.map(({ model, keys }) => ({ model, keys: keys && [...keys] }))
      return { kind: warning.kind, values: { refusals } }
    }
    default:
      return warning
  }
}

const sectionShape = settingsViewSchema.shape.sections.element.shape

const afterRestart: ReadonlySet<string> = new Set(['listen', 'data', 'admin', 'tls', 'workers', 'warm_up'])

function listSections(state: ConfigState): SectionView[] {
  const { config, serving } = state
  const { value, outer } = state.file.file
  const ownerOf = (name: string): SectionView['owner'] => {
    if ((name === 'listen' || name === 'data') && outer[name] !== undefined) return 'environment'
    if (value[name] !== undefined) return 'file'
    return serving.document[name] === undefined ? 'default' : 'api'
  }
  const written = { ...viewPlain(state.file.file), ...listSettings(state) }
  const schemas = readSchemas()
  return Object.entries(writeSettings(config)).map(([name, inForce]) => ({
    name,
    owner: ownerOf(name),
    restart: afterRestart.has(name),
    editable: value[name] === undefined && isApiSetting(name),
    value: sectionShape.value.parse(inForce),
    written: written[name]?.value ?? null,
    schema: schemas.get(name) ?? {},
  }))
}

/** Sections that only the file can have and that hold no secret. */
const plainSections = ['ledger', 'request_log', 'stored_responses', 'idempotency', 'media'] as const

function viewPlain({ value, fileTexts }: FileLayer): Readonly<Record<string, Pick<SectionView, 'value'>>> {
  const found = Object.entries(maskTexts(value, fileTexts)).filter(([name]) =>
    plainSections.some((plain) => plain === name),
  )
  return Object.fromEntries(
    found.map(([name, written]) => [name, { value: sectionShape.written.parse(written) }]),
  )
}

function isApiSetting(name: string): boolean {
  return apiSettings.some((setting) => setting === name)
}

let knownSchemas: ReadonlyMap<string, SectionView['schema']> | undefined

/** The schema of each section. It is built once, as it depends only on this version of Headgate. */
function readSchemas(): ReadonlyMap<string, SectionView['schema']> {
  const { properties } = knownSchemas === undefined ? writeConfigJsonSchema() : {}
  knownSchemas ??= new Map(
    Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => [
      name,
      sectionShape.schema.parse(schema),
    ]),
  )
  return knownSchemas
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
