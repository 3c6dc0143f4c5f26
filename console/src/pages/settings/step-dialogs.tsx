import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  type ChangePreview,
  changePreviewSchema,
  configViewSchema,
  type VersionView,
} from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { writeProblemAt } from '../../api/write-problem.ts'
import { EffectList } from '../../changes/effect-list.tsx'
import { CheckInput } from '../../forms/inputs.tsx'
import { t } from '../../language/language.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { ChangeList } from './change-list.tsx'

interface StepDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

interface UndoDialogProps extends StepDialogProps {
  readonly newest: VersionView | undefined
}

/** Undoes the last change, after showing its effects. The previous version becomes the newest again. */
export function UndoDialog({ newest, isOpen, onClose }: UndoDialogProps) {
  const step = useStep()
  // After a step back, the last change that is in use is that of the version whose content came back.
  const undone = newest?.restored_from ?? newest?.version ?? 0
  const preview = useStepPreview(`/config/versions/${Math.max(0, undone - 1)}/restore`, isOpen)
  if (newest === undefined) return null
  const version = String(undone)
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      isBlocked={!changesSomething(preview.data)}
      title={undone === 0 ? t('settings.undo') : t('settings.undo.title', { version })}
      confirm={t('settings.undo')}
      onConfirm={() =>
        step({ path: '/config/undo', base: newest.version, done: t('settings.undone', { version }) })
      }
    >
      <p>{t('settings.undo.why')}</p>
      <StepPreview preview={preview} />
    </ConfirmDialog>
  )
}

interface VersionDialogProps extends StepDialogProps {
  readonly version: number
  readonly newest: number | undefined
}

/** Makes an older version the newest, after showing what would change. */
export function RestoreDialog({ version, newest, isOpen, onClose }: VersionDialogProps) {
  const step = useStep()
  const path = `/config/versions/${version}/restore`
  const preview = useStepPreview(path, isOpen)
  const done = t('settings.restored', { version: String(version) })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      isBlocked={!changesSomething(preview.data)}
      title={t('settings.restore.title', { version: String(version) })}
      confirm={t('settings.restore')}
      onConfirm={() => step({ path, base: newest, done })}
    >
      <p>{t('settings.restore.why')}</p>
      <StepPreview preview={preview} />
    </ConfirmDialog>
  )
}

/** Undoes only the changes of one version, unless later versions changed the same objects. */
export function UndoVersionDialog({ version, newest, isOpen, onClose }: VersionDialogProps) {
  const step = useStep()
  const [isForced, setForced] = useState(false)
  const path = `/config/versions/${version}/undo`
  const preview = useStepPreview(path, isOpen)
  const hasConflicts = (preview.data?.conflicts.length ?? 0) > 0
  const isBlocked = !changesSomething(preview.data) || (hasConflicts && !isForced)
  const done = t('settings.undone', { version: String(version) })
  // Other versions may have followed when the dialog opens again.
  const close = () => {
    setForced(false)
    onClose()
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={close}
      isBlocked={isBlocked}
      title={t('settings.undo_version.title', { version: String(version) })}
      confirm={t('settings.undo_version')}
      onConfirm={() => step({ path, base: newest, done, more: isForced ? { force: true } : {} })}
    >
      <p>{t('settings.undo_version.why')}</p>
      <StepPreview preview={preview}>
        {(conflicts) => (
          <div className="space-y-2">
            <Banner tone="warn">
              <p>{t('settings.undo_version.conflicts', { version: String(version) })}</p>
              <ul className="mt-1 list-disc pl-5">
                {conflicts.map(({ kind, name }) => (
                  <li key={`${kind} ${name}`}>
                    {t(`kind.${kind}`)} {name}
                  </li>
                ))}
              </ul>
            </Banner>
            <CheckInput
              field={{ name: 'force', value: isForced, error: undefined, onChange: setForced }}
              label={t('settings.undo_version.force')}
            />
          </div>
        )}
      </StepPreview>
    </ConfirmDialog>
  )
}

type Conflicts = ChangePreview['conflicts']

/** Reads the changes and effects of a step. */
function useStepPreview(path: string, isOpen: boolean) {
  return useQuery({
    queryKey: ['config', 'preview', path],
    queryFn: ({ signal }) => callApi({ path, answer: changePreviewSchema, signal }),
    enabled: isOpen,
    staleTime: 0,
  })
}

/** Whether a step is possible and would change anything. */
function changesSomething(preview: ChangePreview | undefined): boolean {
  return preview?.ok === true && preview.change_facts.length > 0
}

interface StepPreviewProps {
  readonly preview: ReturnType<typeof useStepPreview>
  /** Shows the changes of later versions to the same objects. */
  readonly children?: (conflicts: Conflicts) => ReactNode
}

/** Shows the changes and effects of a step. */
function StepPreview({ preview, children }: StepPreviewProps) {
  if (preview.isPending) return <Skeleton />
  if (preview.isError) return <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
  const { ok, problems, change_facts: changes, conflicts } = preview.data
  return (
    <>
      {problems.map((problem) => (
        <Banner key={problem.path} tone={ok ? 'warn' : 'bad'}>
          {writeProblemAt(problem)}
        </Banner>
      ))}
      {conflicts.length > 0 && children?.(conflicts)}
      <ChangeList changes={changes} />
      {ok && changes.length > 0 && (
        <section>
          <h3 className="mb-2 font-semibold">{t('effect.title')}</h3>
          <EffectList {...preview.data} />
        </section>
      )}
    </>
  )
}

interface Step {
  readonly path: string
  readonly base: number | undefined
  readonly done: string
  readonly more?: object
}

/** Makes a step. The gateway refuses it if another operator made a version in between. */
function useStep() {
  const client = useQueryClient()
  return async ({ path, base, done, more = {} }: Step) => {
    const body = { ...more, ...(base !== undefined && { base_version: base }) }
    await callApi({ method: 'POST', path, body, answer: configViewSchema })
    showToast(done)
    await client.invalidateQueries()
  }
}
