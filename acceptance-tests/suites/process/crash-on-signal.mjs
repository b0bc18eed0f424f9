// Loaded into the connector ahead of its own code (node --import): on SIGUSR2 it crashes as by a fault of ours, or Node warns.
process.on('SIGUSR2', () => {
  if (process.env.CRASH === 'rejection') void Promise.reject(new TypeError('a canary that nobody handles'));
  else if (process.env.CRASH === 'warning') process.emitWarning('a canary');
  else throw new TypeError('a canary that nobody catches');
});
