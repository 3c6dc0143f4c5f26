import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { draftSummarySchema, type ObjectDiff } from '../../../../src/admin/drafts/draft-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { objectLines } from '../../changes/object-lines.ts'
import { OwnedByFile } from '../../changes/owned-by-file.tsx'
import { writeYaml } from '../../changes/write-yaml.ts'
import { t } from '../../language/language.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Absent } from '../../ui/text.tsx'
import { showToast } from '../../ui/toasts.tsx'

const tones: Readonly<Record<ObjectDiff['change'], Tone>> = {
  added: 'good',
  changed: 'accent',
  removed: 'bad',
}

interface DraftDiffProps {
  readonly id: string
  readonly diff: readonly ObjectDiff[]
  /** Whether the user may change the draft. */
  readonly manages: boolean
}

/** Lists what a draft changes, object by object and field by field. */
export function DraftDiff({ id, diff, manages }: DraftDiffProps) {
  if (diff.length === 0) return <p className="text-muted">{t('drafts.diff.none')}</p>
  return (
    <div className="divide-y divide-line">
      {diff.map((object) => (
        <ObjectChanges key={`${object.kind} ${object.name}`} id={id} object={object} manages={manages} />
      ))}
    </div>
  )
}

interface ObjectChangesProps extends Omit<DraftDiffProps, 'diff'> {
  readonly object: ObjectDiff
}

function ObjectChanges({ id, object, manages }: ObjectChangesProps) {
  const { kind, name, change, owner, fields } = object
  return (
    <section className="py-4 first:pt-0 last:pb-0">
      <h3 className="mb-2 flex flex-wrap items-center gap-2">
        <span className="text-muted">{t(`kind.${kind}`)}</span>
        <span className="min-w-0 font-semibold break-all">{name}</span>
        <Badge tone={tones[change]}>{t(`drafts.diff.${change}`)}</Badge>
        {owner === 'file' && <Badge tone="warn">{t('owner.file')}</Badge>}
        {manages && change === 'added' && owner !== 'file' && <RemoveObject id={id} object={object} />}
      </h3>
      {owner === 'file' ? (
        <OwnedByFile document={linesOf(object)} advice={t('drafts.diff.owned')} />
      ) : (
        change !== 'removed' && (
          <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-[9rem_minmax(0,1fr)_minmax(0,1fr)]">
            {fields.map(({ field, before, after }) => (
              <FieldChange key={field} field={field} before={before} after={after} />
            ))}
          </dl>
        )
      )}
    </section>
  )
}

/** Removes a new object from a draft again, so that its name is free there. No other page shows the object yet. */
function RemoveObject({ id, object: { kind, name } }: Omit<ObjectChangesProps, 'manages'>) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const remove = async () => {
    const parts = [id, kind === 'users' ? 'user-limits' : kind, name].map(encodeURIComponent)
    await callApi({ method: 'DELETE', path: `/drafts/${parts.join('/')}`, answer: draftSummarySchema })
    showToast(t('drafts.removed', { name }))
    await client.invalidateQueries({ queryKey: ['drafts'] })
  }
  return (
    <>
      <IconButton icon="trash" label={t('drafts.remove', { name })} onClick={() => setAsking(true)} />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isDangerous
        onConfirm={remove}
        title={t('drafts.remove.title', { name })}
        confirm={t('drafts.remove.submit')}
      >
        <p>{t('drafts.remove.why')}</p>
      </ConfirmDialog>
    </>
  )
}

interface FieldChangeProps {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

function FieldChange({ field, before, after }: FieldChangeProps) {
  return (
    <div className="contents">
      <dt className="text-muted">
        <code className="break-all">{field}</code>
      </dt>
      <dd className="min-w-0">
        <Value label={t('drafts.diff.before')} value={before} />
      </dd>
      <dd className="min-w-0 max-sm:mb-2">
        <Value label={t('drafts.diff.after')} value={after} />
      </dd>
    </div>
  )
}

function Value({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <>
      <span className="sr-only">{label}: </span>
      {value === undefined ? (
        <Absent />
      ) : (
        <pre className="overflow-x-auto rounded-md bg-sunken px-2 py-1 font-mono text-[0.8125rem] whitespace-pre-wrap break-words">
          {writeYaml(value)}
        </pre>
      )}
    </>
  )
}

/** The object as the draft changes it, as lines for the file. */
function linesOf({ kind, name, fields }: ObjectDiff): unknown {
  const object = Object.fromEntries(
    fields.flatMap(({ field, after }) => (after === undefined ? [] : [[field, after]])),
  )
  return objectLines(kind, { ...object, name })
}
