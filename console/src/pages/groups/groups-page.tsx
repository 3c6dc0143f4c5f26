import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { GroupForm } from './group-form.tsx'
import { GroupList } from './group-list.tsx'
import type { GroupSearch } from './group-search.ts'
import { GroupSheet } from './group-sheet.tsx'

/** The groups that keys and users are in, with what each may use. */
export function GroupsPage() {
  const search = useSearch({ from: '/frame/groups' })
  const navigate = useNavigate({ from: '/groups' })
  const adds = useMay('POST /groups')
  const change = useCallback(
    (next: Partial<GroupSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const close = () => change({ make: undefined, group: undefined })
  return (
    <>
      <PageHeader
        title={t('nav.groups')}
        description={t('groups.description')}
        actions={
          adds && (
            <Button variant="primary" icon="plus" onClick={() => change({ make: true })}>
              {t('groups.create')}
            </Button>
          )
        }
      />
      <GroupList search={search} onChange={change} />
      <Dialog isOpen={search.make === true && adds} onClose={close} title={t('groups.create')}>
        <GroupForm onDone={close} />
      </Dialog>
      {search.group !== undefined && <GroupSheet key={search.group} name={search.group} onClose={close} />}
    </>
  )
}
