import type { KeyStore } from '../../access/key-store.ts'
import type { PeopleStores } from '../../access/people/user-store.ts'
import type { AuditStore } from '../../admin/audit/audit-store.ts'
import type { CertificationStore } from '../../admin/certification/certification-store.ts'
import type { ConfigDraftStore } from '../../admin/config/config-draft-store.ts'
import type { ConfigVersionStore } from '../../admin/config/config-version-store.ts'
import type { AlertStore } from '../../alerts/alert-store.ts'
import type { CaptureStore } from '../../capture/capture-store.ts'
import type { MethodNames } from '../../kit/local-calls/called-object.ts'
import type { CreditStore } from '../../metering/credit-store.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import type { MeterStore } from '../../metering/leases/meter-store.ts'
import type { NodeRegistry } from '../../metering/leases/node-registry.ts'
import type { LedgerReader } from '../../metering/ledger-reader.ts'
import type { LedgerBatch, LedgerState } from '../../metering/ledger-store.ts'
import type { RequestLogStore } from '../../request-log/request-log-store.ts'
import type { HealthStore } from '../../routing/health/health-store.ts'
import type { IdempotencyStore } from '../../stored-answers/idempotency-store.ts'
import type { RemoteObjectStore } from '../../stored-answers/remote-object.ts'
import type { StoredResponsePersistence } from '../../stored-answers/stored-response-persistence.ts'
import type { DataKey } from '../open-data-key.ts'
import type { OwnerHandover } from './owner-handover.ts'

/** The ledger, as workers use it. */
export interface WorkerLedger {
  load(): Promise<LedgerState>
  commit(epoch: Epoch, batch: LedgerBatch): Promise<void>
}

/** Secrets that only the process that owns the files can decrypt. */
export interface OwnerSecrets {
  captureKey(): Promise<DataKey>
}

/** The objects of the process that owns the files, which workers call. */
export interface OwnerStores {
  readonly keys: KeyStore
  readonly configVersions: Omit<ConfigVersionStore, 'rewrite'>
  readonly configDrafts: Omit<ConfigDraftStore, 'rewrite'>
  readonly health: HealthStore
  readonly audit: AuditStore
  readonly credits: CreditStore
  readonly alerts: AlertStore
  readonly certifications: CertificationStore
  readonly users: PeopleStores['users']
  readonly sessions: PeopleStores['sessions']
  readonly tokens: PeopleStores['tokens']
  readonly links: PeopleStores['links']
  readonly failures: PeopleStores['failures']
  readonly authorizations: PeopleStores['authorizations']
  readonly storedResponses: StoredResponsePersistence
  readonly idempotency: IdempotencyStore
  readonly remoteObjects: RemoteObjectStore
  readonly captures: Omit<CaptureStore, 'close'>
  readonly requestLog: Pick<RequestLogStore, 'append'>
  readonly reports: Pick<LedgerReader, 'usage' | 'rowsOf'>
  readonly ledger: WorkerLedger
  readonly meter: MeterStore
  readonly nodes: NodeRegistry
  readonly secrets: OwnerSecrets
  readonly handover: { succeed(supervisor?: string): Promise<OwnerHandover> }
}

/** The methods that can be called on each object. */
export const ownerMethods: { readonly [Name in keyof OwnerStores]: MethodNames<OwnerStores[Name]> } = {
  keys: [
    'list',
    'page',
    'find',
    'insert',
    'revoke',
    'change',
    'rotate',
    'hasAny',
    'listUses',
    'writeUses',
    'replaceBootstrap',
  ],
  configVersions: ['find', 'latest', 'list', 'append'],
  configDrafts: ['list', 'find', 'create', 'replace', 'delete', 'deleteApplied'],
  health: ['load', 'save'],
  audit: ['append', 'list'],
  credits: [
    'loadCredits',
    'addGrant',
    'addChanges',
    'addResets',
    'addCodes',
    'redeem',
    'revokeCode',
    'listCodes',
  ],
  alerts: ['loadLive', 'save', 'change', 'find', 'page', 'prune'],
  certifications: ['add', 'update', 'cancel', 'find', 'list'],
  users: ['find', 'findByName', 'hasOwner', 'list'],
  sessions: ['find', 'findById', 'use', 'list'],
  tokens: ['find', 'findById', 'use', 'list'],
  links: ['find', 'findById', 'list'],
  failures: ['list', 'write'],
  authorizations: ['insert', 'consume'],
  storedResponses: ['find', 'findItems', 'save', 'prune'],
  idempotency: ['claim', 'release', 'finish', 'prune'],
  remoteObjects: ['find', 'findRemote', 'findStored', 'list', 'add', 'update', 'delete', 'findDue', 'prune'],
  captures: [
    'append',
    'page',
    'find',
    'findCaptured',
    'delete',
    'deleteOfKey',
    'deleteAll',
    'prune',
    'totals',
  ],
  requestLog: ['append'],
  reports: ['usage', 'rowsOf'],
  ledger: ['load', 'commit'],
  meter: ['lease', 'readOthers', 'findTopValues'],
  nodes: ['join', 'renew', 'leave', 'list'],
  secrets: ['captureKey'],
  handover: ['succeed'],
}
