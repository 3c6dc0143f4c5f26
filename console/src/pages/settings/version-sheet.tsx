import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type VersionDetail, versionDetailSchema } from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { AddressText } from '../../changes/address-text.tsx'
import { writeAuthor, writeCredential } from '../../changes/write-actor.ts'
import { writeYaml } from '../../changes/write-yaml.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { DetailList } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent, TimeText } from '../../ui/text.tsx'
import { ChangeList } from './change-list.tsx'
import { RestoreDialog, UndoVersionDialog } from './step-dialogs.tsx'
import { writeComment } from './write-comment.ts'

interface VersionSheetProps {
  readonly version: number
  readonly newest: number | undefined
  readonly onClose: () => void
}

/** One version: its changes, and the buttons that go back to it. */
export function VersionSheet({ version, newest, onClose }: VersionSheetProps) {
  const detail = useQuery({
    queryKey: ['config', 'version', version],
    queryFn: ({ signal }) =>
      callApi({ path: `/config/versions/${version}`, answer: versionDetailSchema, signal }),
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      shape="side"
      title={t('settings.versions.one', { version: String(version) })}
    >
      {detail.isPending && <Skeleton rows={6} />}
      {detail.isError && <ErrorState error={detail.error} onRetry={() => void detail.refetch()} />}
      {detail.data !== undefined && <VersionBody shown={detail.data} newest={newest} />}
    </Dialog>
  )
}

function VersionBody({
  shown,
  newest,
}: {
  readonly shown: VersionDetail
  readonly newest: number | undefined
}) {
  const restores = useMay('POST /config/versions/{version}/restore')
  const [isRestoring, setRestoring] = useState(false)
  const [isUndoing, setUndoing] = useState(false)
  const isOlder = newest !== undefined && shown.version < newest
  return (
    <div className="space-y-5">
      {restores && shown.document !== null && (
        <div className="flex flex-wrap gap-2">
          <Button icon="undo" onClick={() => setUndoing(true)}>
            {t('settings.undo_version')}
          </Button>
          {isOlder && <Button onClick={() => setRestoring(true)}>{t('settings.restore')}</Button>}
        </div>
      )}
      <VersionFacts shown={shown} />
      <section>
        <h3 className="mb-2 font-semibold">{t('settings.versions.changes')}</h3>
        <ChangeList changes={shown.change_facts} />
      </section>
      <section>
        <h3 className="mb-2 font-semibold">{t('settings.versions.document')}</h3>
        {shown.document === null ? (
          <p className="text-muted">{t('settings.versions.document.gone')}</p>
        ) : (
          <CodeBlock text={writeYaml(shown.document)} label={t('settings.versions.document')} />
        )}
      </section>
      <UndoVersionDialog
        version={shown.version}
        newest={newest}
        isOpen={isUndoing}
        onClose={() => setUndoing(false)}
      />
      <RestoreDialog
        version={shown.version}
        newest={newest}
        isOpen={isRestoring}
        onClose={() => setRestoring(false)}
      />
    </div>
  )
}

function VersionFacts({ shown }: { readonly shown: VersionDetail }) {
  return (
    <DetailList
      rows={[
        [t('common.status'), t(`settings.versions.${shown.status}`)],
        [t('settings.versions.action'), t(`settings.versions.action.${shown.action}`)],
        [t('settings.versions.author'), writeAuthor(shown.actor)],
        [t('settings.versions.credential'), writeCredential(shown.actor) ?? <Absent key="by" />],
        [t('settings.versions.address'), <AddressText key="from" {...shown} />],
        [t('settings.versions.at'), <TimeText key="at" at={shown.created_at} />],
        [t('settings.versions.comment'), writeComment(shown) ?? <Absent key="comment" />],
      ]}
    />
  )
}
