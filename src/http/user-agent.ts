import packageJson from '../../package.json' with { type: 'json' };

/** Who asks: sent with every request, so that whoever runs the API, a proxy or a firewall can tell. */
export const USER_AGENT = `${packageJson.name}/${packageJson.version}`;
