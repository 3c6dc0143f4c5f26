import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ChannelView } from '../../../../src/admin/config/config-contract.ts'
import { objectLines } from '../../changes/object-lines.ts'
import { OwnedByFile } from '../../changes/owned-by-file.tsx'
import { useHealthReset } from '../../health/use-health-reset.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { CertificationSection } from './certification-section.tsx'
import { DeleteChannelDialog, useSwitching } from './channel-actions.tsx'
import { ChannelFacts } from './channel-facts.tsx'
import { ChannelHealth } from './channel-health.tsx'
import { channelQuery, providersQuery } from './channel-queries.ts'
import { EditChannelForm } from './edit-channel-form.tsx'

/** One channel, next to the list. */
export function ChannelSheet() {
  const { name } = useParams({ from: '/frame/channels/$name' })
  const navigate = useNavigate({ from: '/channels/$name' })
  const channel = useQuery(channelQuery(name))
  const close = () => void navigate({ to: '/channels', search: (before) => before })
  return (
    <Dialog isOpen onClose={close} shape="side" title={name}>
      {channel.isPending && <Skeleton rows={6} />}
      {channel.isError && <ErrorState error={channel.error} onRetry={() => void channel.refetch()} />}
      {channel.data !== undefined && <ChannelBody shown={channel.data} onDeleted={close} />}
    </Dialog>
  )
}

interface ChannelBodyProps {
  readonly shown: ChannelView
  readonly onDeleted: () => void
}

function ChannelBody({ shown, onDeleted }: ChannelBodyProps) {
  const [isEditing, setEditing] = useState(false)
  const providers = useQuery(providersQuery)
  const provider = providers.data?.find(({ id }) => id === shown.provider)
  if (isEditing && provider !== undefined)
    return <EditChannelForm shown={shown} provider={provider} onDone={() => setEditing(false)} />
  if (isEditing && providers.isPending) return <Skeleton rows={6} />
  if (isEditing && providers.isError)
    return <ErrorState error={providers.error} onRetry={() => void providers.refetch()} />
  return (
    <div className="space-y-5">
      <Controls shown={shown} onEdit={() => setEditing(true)} onDeleted={onDeleted} />
      <ChannelFacts shown={shown} provider={provider} />
      <CertificationSection shown={shown} />
      <ChannelHealth shown={shown} />
      {shown.owner === 'file' && (
        <OwnedByFile document={objectLines('channels', shown, provider?.key_variable ?? undefined)} />
      )}
    </div>
  )
}

interface ControlsProps {
  readonly shown: ChannelView
  readonly onEdit: () => void
  readonly onDeleted: () => void
}

/** Channels of the file are changed in the file. Everybody who manages channels may reset their circuit breakers. */
function Controls({ shown, onEdit, onDeleted }: ControlsProps) {
  const manages = useMay('PATCH /channels/{name}')
  const [isDeleting, setDeleting] = useState(false)
  const switching = useSwitching(shown)
  const resetting = useHealthReset(shown.name)
  if (!manages) return null
  const isOwn = shown.owner === 'api'
  return (
    <div className="flex flex-wrap gap-2">
      {isOwn && (
        <>
          <Button icon="edit" onClick={onEdit}>
            {t('channels.edit')}
          </Button>
          <Button
            icon={shown.disabled ? 'play' : 'stop'}
            isBusy={switching.isPending}
            onClick={() => switching.mutate(!shown.disabled)}
          >
            {shown.disabled ? t('channels.enable') : t('channels.disable')}
          </Button>
        </>
      )}
      <Button icon="refresh" isBusy={resetting.isPending} onClick={() => resetting.mutate()}>
        {t('channels.reset')}
      </Button>
      {isOwn && (
        <Menu
          trigger={<IconButton icon="more" label={t('channels.actions')} />}
          sections={[
            [
              {
                label: t('channels.delete'),
                icon: 'trash',
                isDangerous: true,
                run: () => setDeleting(true),
              },
            ],
          ]}
        />
      )}
      <DeleteChannelDialog
        name={shown.name}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDeleted={onDeleted}
      />
    </div>
  )
}
