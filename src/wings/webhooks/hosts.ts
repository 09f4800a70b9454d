// The addresses that deliveries may be sent to.

import { BlockList, isIP } from 'node:net'

const listOf = (...networks: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const network of networks) addNetwork(list, network)
  return list
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Adds `10.0.0.0/8` or a single address to a list. Returns whether it is one. */
function addNetwork(list: BlockList, network: string): boolean {
  const [address = '', bits, more] = network.split('/')
  const most = isIP(address) === 6 ? 128 : 32
  if (isIP(address) === 0 || more !== undefined || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return false
  if (Number(bits ?? most) > most) return false
  list.addSubnet(address, Number(bits ?? most), familyOf(address))
  return true
}

const LOOPBACK = listOf('127.0.0.0/8', '::1')
const PRIVATE = listOf('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7')
/** Link-local, metadata of clouds, translated IPv4 addresses, this network, multicast and reserved ones. */
const FORBIDDEN = listOf(
  ...['169.254.0.0/16', 'fe80::/10', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::/32'],
  ...['64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '0.0.0.0/8', '::', '224.0.0.0/3', 'ff00::/8'],
)

const isIn = (list: BlockList, address: string): boolean => list.check(address, familyOf(address))

const LABEL = '[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?'
const NAME = new RegExp(`^(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*$`)

/** The hosts of a configuration: `localhost`, names, `*.test`, and networks such as `10.0.0.0/8`. */
export class Hosts {
  readonly #names = new Set<string>()
  readonly #endings: string[] = []
  readonly #networks = new BlockList()
  #hasNetworks = false

  /** @param report is called with each item that is none of these */
  constructor(items: readonly string[], report: (item: string, index: number) => void = () => {}) {
    for (const [i, item] of items.entries()) {
      const name = item.toLowerCase()
      if (addNetwork(this.#networks, name)) this.#hasNetworks = true
      else if (!NAME.test(name)) report(item, i)
      else if (name.startsWith('*.')) this.#endings.push(name.slice(1))
      else this.#names.add(name)
    }
  }

  /** Whether no address of a host can be admitted. */
  excludes(host: string): boolean {
    if (isIP(host) !== 0) return this.refusal(host, host) !== undefined
    return !this.#hasNetworks && !this.#isNamed(host)
  }

  #isNamed = (host: string): boolean => this.#names.has(host) || this.#endings.some(ending => host.endsWith(ending))

  /** Returns why an address of a host is not connected to: the rest of a sentence that begins with it; `undefined` if it is. */
  refusal(host: string, address: string): string | undefined {
    if (isIP(address) === 0) return 'is no address'
    if (isIn(FORBIDDEN, address)) return 'is link-local, reserved or the metadata of a cloud, which is never sent to'
    if (isIn(this.#networks, address)) return undefined
    const isLoopback = isIn(LOOPBACK, address)
    if (host === address) {
      return isLoopback && this.#names.has('localhost') ? undefined : 'is not in "hosts" of deliveries'
    }
    if (!this.#isNamed(host)) return `is that of ${host}, which is not in "hosts" of deliveries`
    if (isLoopback) return undefined
    if (host === 'localhost' || !this.#names.has(host)) return `is not loopback, as that of ${host} must be`
    return isIn(PRIVATE, address) ? undefined : `is public; add its network to "hosts" of deliveries to admit it`
  }
}
